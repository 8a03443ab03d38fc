package dev.pacecar.scenarios;

import static io.gatling.javaapi.core.CoreDsl.exec;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlocksTest {
    @TempDir
    Path folder;

    private Blocks blocks;

    @BeforeEach
    void twoOfThreeOperations() {
        List<Operation> operations = List.of(named("list", 40), named("rare", 1), named("read", 25));
        blocks = Blocks.of(PlanExamples.counted(7, folder), new Mix(operations));
    }

    private static Operation named(String name, double weight) {
        return new Operation(name, weight, draw -> Map.of(), exec(session -> session));
    }

    private void opened(int count) throws IOException {
        Files.writeString(folder.resolve("go"), count + "\n");
    }

    private List<String> noted() throws IOException {
        return Files.readAllLines(folder.resolve("done"));
    }

    @Test
    void asksTheHeaviestOperationsThereAndBack() {
        assertEquals(
                List.of(0, 2, 2, 0, 0, 2),
                IntStream.range(0, 6).mapToObj(blocks::operation).toList());
    }

    @Test
    void eachBlockOfAnOperationHoldsTheSameRequests() {
        assertEquals(blocks.seed(0, 2), blocks.seed(3, 2));
        assertNotEquals(blocks.seed(0, 2), blocks.seed(0, 1));
        assertNotEquals(blocks.seed(0, 2), blocks.seed(1, 2));
    }

    @Test
    void nothingIsSentUntilTheCountersWereRead() throws IOException {
        assertFalse(blocks.open(0));
        opened(1);
        assertTrue(blocks.open(0));
        assertFalse(blocks.open(1));
        opened(-1);
        assertFalse(blocks.open(1));
        assertTrue(blocks.over());
    }

    @Test
    void aBlockIsOverOnceBothSidesHaveAnsweredIt() throws IOException {
        blocks.announce();
        blocks.answered("candidate", 0);
        assertEquals(List.of("{\"operations\":[\"list\",\"read\"]}"), noted());
        blocks.answered("baseline", 0);
        assertEquals(2, noted().size());
        assertTrue(noted().get(1).contains("\"list\""), noted().get(1));
    }

    @Test
    void aUserSendsABlockAndThenWaits() throws IOException {
        CountedUser baseline = new CountedUser(blocks, "baseline", 3);
        CountedUser candidate = new CountedUser(blocks, "candidate", 3);
        opened(1);
        List<Integer> sent = new ArrayList<>();
        while (baseline.ready()) {
            sent.add(baseline.next().number());
        }
        assertEquals(List.of(0, 1, 2), sent);
        assertFalse(Files.exists(folder.resolve("done")));
        while (candidate.ready()) {
            candidate.next();
        }
        assertEquals(1, noted().size());
        assertFalse(baseline.over());
        opened(-1);
        assertTrue(baseline.over());
    }
}
