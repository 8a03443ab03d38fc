package library.catalogue.books;

import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.springframework.stereotype.Component;

/** All branches: the same at every start. */
@Component
public class Branches {

    public static final int COUNT = 30;
    public static final int SHELVES = 200;

    private final List<Branch> all =
            IntStream.rangeClosed(1, COUNT).mapToObj(Branches::branch).toList();

    public List<Branch> all() {
        return all;
    }

    public Optional<Branch> find(int id) {
        return id < 1 || id > COUNT ? Optional.empty() : Optional.of(all.get(id - 1));
    }

    /** Where a book stands. */
    public Shelf shelf(String title) {
        int place = Math.floorMod(title.hashCode(), COUNT * SHELVES);
        return all.get(place / SHELVES).shelves().get(place % SHELVES);
    }

    private static Branch branch(int id) {
        List<Shelf> shelves = IntStream.rangeClosed(1, SHELVES)
                .mapToObj(number -> new Shelf(id, number, 40 + (id * 31 + number * 17) % 60))
                .toList();
        int books = shelves.stream().mapToInt(Shelf::books).sum();
        return new Branch(id, 500 + id * 173 % 900, books, shelves);
    }
}
