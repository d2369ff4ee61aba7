"""The tools, one file each: name, words for the model, closed input schema, annotations, handler."""
