package atlas.gazetteer.places;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * All places. Readers take what there is without a lock; one thread adds to it, and publishes a new list each time.
 *
 * <p>Of the places that are added the latest {@link #KEPT} are kept, so that answers stay as large as they were.
 */
public final class Atlas implements AutoCloseable {

    static final int KEPT = 200;
    private static final double SAME_NAME = 0.85;
    private static final double SAME_SPOT_KM = 1;

    private final Names names;
    private final Grid grid;
    private final Map<String, List<Place>> regions;
    private final ExecutorService writer = Executors.newSingleThreadExecutor(task -> {
        var thread = new Thread(task, "writer");
        thread.setDaemon(true);
        return thread;
    });
    private volatile List<Place> added = List.of();
    private int lastId;

    public Atlas(List<Place> places) {
        this.names = new Names(places);
        this.grid = new Grid(places);
        this.regions = places.stream().collect(Collectors.groupingBy(Place::region));
        this.lastId = places.size();
    }

    /** At most `most` places with names like this one, the likest first. */
    public List<Match> search(String name, int most) {
        Stream<Match> here =
                added.stream().map(place -> Names.match(name, place)).filter(match -> match.likeness() > 0);
        return Stream.concat(names.like(name, most).stream(), here)
                .sorted(Match.BEST_FIRST)
                .limit(most)
                .toList();
    }

    /** The `count` places nearest to a position. */
    public List<Neighbour> nearest(Position position, int count) {
        Stream<Neighbour> here =
                added.stream().map(place -> new Neighbour(place, position.kilometresTo(place.position())));
        return Stream.concat(grid.nearest(position, count).stream(), here)
                .sorted(Comparator.comparingDouble(Neighbour::kilometres))
                .limit(count)
                .toList();
    }

    /** Places between two parallels and two meridians, and some around them. */
    public List<Place> around(Position southWest, Position northEast) {
        return Stream.concat(grid.around(southWest, northEast).stream(), added.stream())
                .toList();
    }

    /** Places of a region; none where there is no such region. */
    public List<Place> of(String region) {
        Stream<Place> here = added.stream().filter(place -> place.region().equals(region));
        return Stream.concat(regions.getOrDefault(region, List.of()).stream(), here)
                .toList();
    }

    /** Adds a place, on the thread that owns the writing; fails with {@link AlreadyThere} where it is known. */
    public CompletableFuture<Place> add(String name, Place.Kind kind, Position position, int population) {
        return onWriter(() -> {
            for (Neighbour near : nearest(position, 20)) {
                boolean alike = Names.match(name, near.place()).likeness() >= SAME_NAME;
                if (alike && near.kilometres() < SAME_SPOT_KM) {
                    throw new AlreadyThere(near.place());
                }
            }
            String region = grid.nearest(position, 1).get(0).place().region();
            var place = new Place(++lastId, name, kind, region, position, population);
            var grown = new ArrayList<>(added.subList(Math.max(0, added.size() + 1 - KEPT), added.size()));
            grown.add(place);
            added = List.copyOf(grown);
            return place;
        });
    }

    @Override
    public void close() {
        writer.shutdown();
    }

    private <T> CompletableFuture<T> onWriter(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, writer);
    }
}
