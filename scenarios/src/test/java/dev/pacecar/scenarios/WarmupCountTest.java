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

    @Test
    void theSideThatIsAheadIsHeldBackAndNoMoreThanAWhile() {
        WarmupCount count = new WarmupCount(List.of("candidate", "baseline"));
        assertEquals(0, count.heldBack("baseline"));
        for (int request = 0; request < 10; request++) {
            count.sent("baseline");
        }
        assertEquals(1_000_000, count.heldBack("baseline"));
        assertEquals(0, count.heldBack("candidate"));
        for (int request = 0; request < 10_000; request++) {
            count.sent("baseline");
        }
        assertEquals(50_000_000, count.heldBack("baseline"));
    }

    @Test
    void aSideByItselfIsNotHeldBack() {
        WarmupCount count = new WarmupCount(List.of("baseline"));
        count.sent("baseline");
        assertEquals(0, count.heldBack("baseline"));
    }
}
