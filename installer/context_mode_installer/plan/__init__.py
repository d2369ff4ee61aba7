"""From specs and what is on the disk to the changes of a setup or a removal. Nothing here writes."""
