package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TemplateTest {
    @Test
    void drawsBothEndsOfARangeAndNothingBeyond() {
        Template template = Template.of("/orders?page=${int(-1, 2)}");
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < 500; seed++) {
            seen.add(template.render(new Draw(seed)));
        }
        assertEquals(Set.of("/orders?page=-1", "/orders?page=0", "/orders?page=1", "/orders?page=2"), seen);
    }

    @Test
    void picksEachOfTheValues() {
        Template template = Template.of("<${pick(red, dark blue,x)}>");
        Set<String> seen = new TreeSet<>();
        for (long seed = 0; seed < 500; seed++) {
            seen.add(template.render(new Draw(seed)));
        }
        assertEquals(Set.of("<red>", "<dark blue>", "<x>"), seen);
    }

    @Test
    void theSameSeedGivesTheSameText() {
        Template template = Template.of("${int(0,999999999)} ${pick(a,b,c,d)} ${int(0,999999999)}");
        assertEquals(template.render(new Draw(5)), template.render(new Draw(5)));
    }

    @Test
    void leavesOtherTextAlone() {
        String json = "{\"price\": \"$5\", \"note\": \"#{x}\"}";
        assertEquals(json, Template.of(json).render(new Draw(1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"${int(5,1)}", "${int(1)}", "${pick()}", "${uuid()}", "${", "a ${int(1,2)} ${int(1,2)"})
    void refusesWhatItDoesNotKnow(String text) {
        assertThrows(IllegalArgumentException.class, () -> Template.of(text));
    }
}
