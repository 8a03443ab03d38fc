package library.catalogue.writers;

import java.util.List;

/** A writer, as the register knows one. */
public record Writer(String name, int born, List<String> titles) {}
