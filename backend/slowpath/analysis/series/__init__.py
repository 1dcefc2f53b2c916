"""Series over builds: where their level changed, whether the newest build is to be told of, and which changes are one."""
