"""Decoded Go executables: their functions, inline trees and calls as columns."""
