package fleet.reporter.tours;

import java.util.List;

/** The tours of a depot's vans for a day. */
public record Plan(int id, List<Tour> tours) {}
