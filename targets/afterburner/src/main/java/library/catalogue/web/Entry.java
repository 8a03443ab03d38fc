package library.catalogue.web;

import java.util.List;
import library.catalogue.books.Branches;
import library.catalogue.books.Shelf;
import library.catalogue.writers.Writer;

/** What the catalogue says of a writer. */
record Entry(String name, int born, List<Copy> copies) {

    /** A book, and where it stands. */
    record Copy(String title, int branch, int shelf) {}

    static Entry of(Writer writer, Branches branches) {
        List<Copy> copies =
                writer.titles().stream().map(title -> copy(title, branches)).toList();
        return new Entry(writer.name(), writer.born(), copies);
    }

    private static Copy copy(String title, Branches branches) {
        Shelf shelf = branches.shelf(title);
        return new Copy(title, shelf.branch(), shelf.number());
    }
}
