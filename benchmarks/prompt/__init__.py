"""What commands cost before they do anything."""
