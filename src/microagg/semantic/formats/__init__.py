"""The forms in which a file can hold a hierarchy, one file each; `microagg.semantic.files` lists them."""
