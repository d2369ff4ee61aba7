"""The checks of contract section 9: each looks at what is there and at what it does, and changes nothing."""
