package library.catalogue.web;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import library.catalogue.books.Branch;
import library.catalogue.books.Branches;
import library.catalogue.books.Shelf;
import org.springframework.stereotype.Component;

/** A gauge for each shelf and each branch: most of the metrics page, and all there from the start. */
@Component
class ShelfMeters implements MeterBinder {

    private final Branches branches;

    ShelfMeters(Branches branches) {
        this.branches = branches;
    }

    @Override
    public void bindTo(MeterRegistry meters) {
        for (Branch branch : branches.all()) {
            String id = String.valueOf(branch.id());
            Gauge.builder("catalogue.branch.books", branch, Branch::books)
                    .tag("branch", id)
                    .register(meters);
            for (Shelf shelf : branch.shelves()) {
                Gauge.builder("catalogue.shelf.books", shelf, Shelf::books)
                        .tag("branch", id)
                        .tag("shelf", String.valueOf(shelf.number()))
                        .register(meters);
            }
        }
    }
}
