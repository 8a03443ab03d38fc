package atlas.gazetteer.map;

import atlas.gazetteer.places.Country;
import atlas.gazetteer.places.Place;
import atlas.gazetteer.places.Position;
import java.util.List;

/** A square of the map: the country is 2^zoom of them wide and high; column and row count from the north-west. */
public record Tile(int zoom, int column, int row) {

    public static final int DEEPEST = 4;
    static final int SIZE = 160;
    private static final int REACH = 2;

    public Tile {
        int across = 1 << Math.max(0, zoom);
        if (zoom < 0 || zoom > DEEPEST || column < 0 || column >= across || row < 0 || row >= across) {
            throw new IllegalArgumentException(
                    "no such tile: zoom is 0 to " + DEEPEST + ", column and row below 2^zoom");
        }
    }

    public Position southWest() {
        return new Position(Country.NORTH - (row + 1) * height(), Country.WEST + column * width());
    }

    public Position northEast() {
        return new Position(Country.NORTH - row * height(), Country.WEST + (column + 1) * width());
    }

    /** A PNG that shows how many people live where, the more the brighter. */
    public byte[] drawn(List<Place> places) {
        var people = new float[SIZE * SIZE];
        for (Place place : places) {
            int x = (int) Math.floor((place.position().longitude() - southWest().longitude()) / width() * SIZE);
            int y = (int) Math.floor((northEast().latitude() - place.position().latitude()) / height() * SIZE);
            if (x >= 0 && x < SIZE && y >= 0 && y < SIZE) {
                people[y * SIZE + x] += 1 + place.population();
            }
        }
        return Png.grey(shades(blurred(people)), SIZE);
    }

    /** The mean of the pixels around each, first along rows, then along columns. */
    private static float[] blurred(float[] pixels) {
        return averaged(averaged(pixels, 1, SIZE), SIZE, 1);
    }

    private static float[] averaged(float[] pixels, int step, int stride) {
        var means = new float[pixels.length];
        for (int line = 0; line < SIZE; line++) {
            for (int i = 0; i < SIZE; i++) {
                float sum = 0;
                for (int near = Math.max(0, i - REACH); near <= Math.min(SIZE - 1, i + REACH); near++) {
                    sum += pixels[line * stride + near * step];
                }
                means[line * stride + i * step] = sum / (2 * REACH + 1);
            }
        }
        return means;
    }

    private static byte[] shades(float[] people) {
        var shades = new byte[people.length];
        for (int i = 0; i < people.length; i++) {
            shades[i] = people[i] == 0 ? 0 : (byte) Math.min(255, 20 * Math.log1p(people[i]));
        }
        return shades;
    }

    private double width() {
        return (Country.EAST - Country.WEST) / (1 << zoom);
    }

    private double height() {
        return (Country.NORTH - Country.SOUTH) / (1 << zoom);
    }
}
