package atlas.gazetteer.places;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Places by position: cells of a fifth of a degree. */
final class Grid {

    private static final double CELL = 0.2;
    private static final int ROWS = 1 + (int) Math.floor((Country.NORTH - Country.SOUTH) / CELL);
    private static final int COLUMNS = 1 + (int) Math.floor((Country.EAST - Country.WEST) / CELL);

    private final List<List<Place>> cells = new ArrayList<>();

    Grid(List<Place> places) {
        for (int i = 0; i < ROWS * COLUMNS; i++) {
            cells.add(new ArrayList<>());
        }
        for (Place place : places) {
            cells.get(row(place.position().latitude()) * COLUMNS
                            + column(place.position().longitude()))
                    .add(place);
        }
    }

    /** The `count` places nearest to a position. */
    List<Neighbour> nearest(Position position, int count) {
        int row = row(position.latitude());
        int column = column(position.longitude());
        int reach = 0;
        List<Place> inside = List.of();
        while (inside.size() < count && reach < Math.max(ROWS, COLUMNS)) {
            reach++;
            inside = within(row - reach, row + reach, column - reach, column + reach);
        }
        // One ring more: a place beyond a side may be nearer than one in a corner.
        return within(row - reach - 1, row + reach + 1, column - reach - 1, column + reach + 1).stream()
                .map(place -> new Neighbour(place, position.kilometresTo(place.position())))
                .sorted(Comparator.comparingDouble(Neighbour::kilometres))
                .limit(count)
                .toList();
    }

    /** Places between two parallels and two meridians, and some around them. */
    List<Place> around(Position southWest, Position northEast) {
        return within(
                row(southWest.latitude()),
                row(northEast.latitude()),
                column(southWest.longitude()),
                column(northEast.longitude()));
    }

    private List<Place> within(int firstRow, int lastRow, int firstColumn, int lastColumn) {
        var found = new ArrayList<Place>();
        for (int row = Math.max(0, firstRow); row <= Math.min(ROWS - 1, lastRow); row++) {
            for (int column = Math.max(0, firstColumn); column <= Math.min(COLUMNS - 1, lastColumn); column++) {
                found.addAll(cells.get(row * COLUMNS + column));
            }
        }
        return found;
    }

    private static int row(double latitude) {
        return Math.max(0, Math.min(ROWS - 1, (int) Math.floor((latitude - Country.SOUTH) / CELL)));
    }

    private static int column(double longitude) {
        return Math.max(0, Math.min(COLUMNS - 1, (int) Math.floor((longitude - Country.WEST) / CELL)));
    }
}
