package main

import "errors"

func exportCommand(args []string, io streams) error { return errors.New("not yet") }
