export { CHECKOUT, cliCommand, useCliCommand, type CliCommand } from './cli-command';
