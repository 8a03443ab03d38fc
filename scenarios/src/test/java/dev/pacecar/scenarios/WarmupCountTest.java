package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class WarmupCountTest {
    @TempDir
    Path folder;

    @Test
    void notesEachSideWheneverAsked() throws IOException {
        WarmupCount count = new WarmupCount(List.of("candidate", "baseline"));
        Path file = folder.resolve("warmup.csv");
        count.sent("baseline");
        count.append(file, "1.000");
        count.sent("candidate");
        count.sent("baseline");
        count.append(file, "2.000");
        assertEquals(
                List.of("1.000,baseline,1", "1.000,candidate,0", "2.000,baseline,2", "2.000,candidate,1"),
                Files.readAllLines(file));
    }
}
