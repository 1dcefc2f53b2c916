"""Views of profiles and of differences: trees and tables as columns, and their summaries."""
