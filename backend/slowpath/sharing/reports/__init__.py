"""Reports: recordings of what the API answered, with prose between; published in versions, shared by links, taken away as one file."""
