package atlas.gazetteer.places;

import atlas.gazetteer.places.Place.Kind;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * A region in figures.
 *
 * @param kinds how many places of each kind
 * @param people of all places
 * @param percentiles population that 10, 50, 90 and 99 in a hundred inhabited places do not exceed
 * @param centre where people live on average
 * @param spreadKilometres how far they live from there on average
 * @param largest the ten with most people
 */
public record RegionSummary(
        String region,
        Map<Kind, Integer> kinds,
        long people,
        List<Integer> percentiles,
        Position centre,
        double spreadKilometres,
        List<Place> largest) {

    private static final int LARGEST = 10;

    /** Of places of which at least one is inhabited. */
    public static RegionSummary of(String region, List<Place> places) {
        var kinds = new EnumMap<Kind, Integer>(Kind.class);
        places.forEach(place -> kinds.merge(place.kind(), 1, Integer::sum));
        List<Place> inhabited = places.stream()
                .filter(place -> place.population() > 0)
                .sorted(Comparator.comparingInt(Place::population))
                .toList();
        long people = inhabited.stream().mapToLong(Place::population).sum();
        Position centre = centre(inhabited, people);
        double spread = inhabited.stream()
                .mapToDouble(place -> place.population() * centre.kilometresTo(place.position()))
                .sum();
        List<Place> largest = inhabited.stream()
                .sorted(Comparator.comparingInt(Place::population).reversed())
                .limit(LARGEST)
                .toList();
        return new RegionSummary(region, kinds, people, percentiles(inhabited), centre, spread / people, largest);
    }

    private static Position centre(List<Place> inhabited, long people) {
        double latitude = 0;
        double longitude = 0;
        for (Place place : inhabited) {
            latitude += place.population() * place.position().latitude();
            longitude += place.population() * place.position().longitude();
        }
        return new Position(latitude / people, longitude / people);
    }

    private static List<Integer> percentiles(List<Place> sorted) {
        return List.of(10, 50, 90, 99).stream()
                .map(percent -> sorted.get((sorted.size() - 1) * percent / 100).population())
                .toList();
    }
}
