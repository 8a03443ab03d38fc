package atlas.gazetteer.places;

/** A place and how far away it is. */
public record Neighbour(Place place, double kilometres) {}
