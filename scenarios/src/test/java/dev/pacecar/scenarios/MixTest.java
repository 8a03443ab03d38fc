package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MixTest {
    private static Operation operation(String name, double weight) {
        return new Operation(name, weight, draw -> Map.of(), exec(session -> session));
    }

    @Test
    void eachOperationCoversAsMuchAsItsWeight() {
        Mix mix = new Mix(List.of(operation("a", 3), operation("b", 1), operation("c", 4)));
        assertEquals(0, mix.at(0));
        assertEquals(0, mix.at(0.374));
        assertEquals(1, mix.at(0.376));
        assertEquals(2, mix.at(0.501));
        assertEquals(2, mix.at(Math.nextDown(1.0)));
    }

    @Test
    void refusesAMixThatIsNone() {
        assertThrows(IllegalArgumentException.class, () -> new Mix(List.of()));
        assertThrows(IllegalArgumentException.class, () -> new Mix(List.of(operation("a", 1), operation("a", 2))));
        assertThrows(IllegalArgumentException.class, () -> operation("a", 0));
        assertThrows(IllegalArgumentException.class, () -> operation("a", Double.NaN));
        assertThrows(IllegalArgumentException.class, () -> operation("two\nlines", 1));
    }
}
