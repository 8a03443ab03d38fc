package dev.pacecar.scenarios;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.OptionalLong;

/** A moment that whoever conducts the load has decided on: epoch milliseconds in a file, which appears whole. */
final class Moment {
    private Moment() {}

    /** What {@code file} holds; empty while there is no such file. */
    static OptionalLong in(Path file) {
        try {
            return OptionalLong.of(Long.parseLong(Files.readString(file).strip()));
        } catch (NoSuchFileException notYet) {
            return OptionalLong.empty();
        } catch (IOException error) {
            throw new UncheckedIOException("Cannot read the moment in " + file, error);
        }
    }
}
