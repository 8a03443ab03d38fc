package library.catalogue.books;

/** A shelf of a branch, both from 1, and how many books it holds. */
public record Shelf(int branch, int number, int books) {}
