package market.basket.store;

/** A basket as a carrier sees it. */
public record Parcel(int town, int grams) {}
