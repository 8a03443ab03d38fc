package dev.pacecar.scenarios;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MomentTest {
    @TempDir
    Path folder;

    @Test
    void isUnknownUntilItIsWritten() throws IOException {
        Path file = folder.resolve("begin");
        assertEquals(OptionalLong.empty(), Moment.in(file));
        Files.writeString(file, "1790000000123\n");
        assertEquals(OptionalLong.of(1_790_000_000_123L), Moment.in(file));
    }
}
