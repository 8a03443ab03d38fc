package library.catalogue.books;

import java.util.List;

/** A branch of the library, from 1, with how many people read there, and how many books it has. */
public record Branch(int id, int readers, int books, List<Shelf> shelves) {}
