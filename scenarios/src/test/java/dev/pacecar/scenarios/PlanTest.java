package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class PlanTest {
    @TempDir
    Path folder;

    @Test
    void readsWhatPacecarWrites() throws IOException {
        Plan plan = Plan.read(PlanExamples.file(folder, "\"seed\": 7", "\"seed\": 9"));

        assertEquals(9, plan.seed());
        assertEquals(Plan.Model.OPEN, plan.model());
        assertEquals("http://127.0.0.1:1002", plan.sides().get("candidate"));
        assertEquals(4, plan.warmup().burstUsers());
        assertEquals("GET /orders", plan.endpoints().get(0).name());
    }

    static Stream<Arguments> wrong() {
        String slices = "[\"baseline\", \"candidate\"]";
        return Stream.of(
                arguments(slices, "[\"baseline\", \"other\"]", "'other', which has no base URL"),
                arguments(slices, "[]", "slices must hold"),
                arguments("150.0", "0", "ratePerSecond must be positive"),
                arguments("150.0", "1e9", "two million arrivals"),
                arguments("\"sliceSeconds\": 5.0", "\"sliceSeconds\": 1e5", "four hours"),
                arguments("\"sliceSeconds\": 5.0", "\"sliceSeconds\": -1", "sliceSeconds must be positive"),
                arguments("\"seed\": 7,", "\"seed\": 7, \"colour\": 1,", "colour"),
                arguments("\"requests\": 25", "\"requests\": 0", "counted.requests must lie"),
                arguments("\"operations\": 40", "\"operations\": 501", "counted.operations must lie"),
                arguments("\"/tmp/go\"", "null", "must be paths"),
                arguments("\"of\": 1", "\"of\": 65", "share.of must lie"),
                arguments("\"index\": 0", "\"index\": 1", "share.index must lie"),
                arguments("{\"index\": 0, \"of\": 1}", "{\"index\": 1, \"of\": 2}", "sent by one process"),
                arguments("\"/tmp/begin\"", "null", "start.readyFile and start.beginFile"),
                arguments("\"seed\": 7,", "", "seed"),
                arguments("\"open\"", "\"ajar\"", "ajar"),
                arguments("{\"seed\"", "{{\"seed\"", "plan.json"));
    }

    @ParameterizedTest
    @MethodSource("wrong")
    void saysWhatIsWrongWithAPlan(String from, String to, String expected) throws IOException {
        Path file = PlanExamples.file(folder, from, to);

        var error = assertThrows(IllegalArgumentException.class, () -> Plan.read(file));

        assertTrue(error.getMessage().contains(expected), error.getMessage());
    }

    @Test
    void saysThatThereIsNoPlan() {
        var error = assertThrows(IllegalArgumentException.class, () -> Plan.read(folder.resolve("absent.json")));

        assertTrue(error.getMessage().contains("absent.json"), error.getMessage());
    }
}
