package shop.orders.sampledata;

import java.util.List;
import java.util.Locale;

/** What sample products, customers and orders are called. */
final class Names {

    private static final List<String> CATEGORIES = List.of(
            "tools", "garden", "kitchen", "office", "lighting", "storage", "cleaning", "paint", "safety", "electrics");
    private static final List<String> MATERIALS =
            List.of("steel", "oak", "copper", "nylon", "ceramic", "aluminium", "bamboo", "rubber");
    private static final List<String> THINGS =
            List.of("bracket", "handle", "case", "stand", "cover", "hook", "panel", "tray", "clamp", "frame", "rail");
    private static final List<String> FAMILIES = List.of(
            "Abel", "Baptiste", "Carver", "Dahl", "Eriksen", "Fontaine", "Grünwald", "Haddad", "Ito", "Jansen",
            "Kowalski", "Lindqvist", "Moreau", "Novak", "Okafor", "Petrov", "Quist", "Rossi", "Sato", "Tanaka");
    private static final List<String> FIRMS =
            List.of("& Sons", "Trading", "Interiors", "Workshop", "Supplies", "Building", "Hotels");
    private static final List<String> NOTES = List.of(
            "", "Please deliver to the side entrance.", "Call before delivery.", "",
            "One pallet only; the yard is small & narrow.", "Leave with the porter.");

    private Names() {}

    static String category(int product) {
        return CATEGORIES.get(product % CATEGORIES.size());
    }

    static String product(int id) {
        String material = MATERIALS.get(id % MATERIALS.size());
        return capitalised(material) + " " + THINGS.get(id % THINGS.size()) + " no. " + (1_000 + id);
    }

    static String customer(int id) {
        return FAMILIES.get(id % FAMILIES.size()) + " " + FIRMS.get(id % FIRMS.size()) + " " + id;
    }

    static String email(int customer) {
        return "purchasing" + customer + "@customer.example";
    }

    static String level(int customer) {
        if (customer % 10 == 0) {
            return "gold";
        }
        return customer % 3 == 0 ? "silver" : "standard";
    }

    static String note(int order) {
        return NOTES.get(order % NOTES.size());
    }

    private static String capitalised(String word) {
        return word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1);
    }
}
