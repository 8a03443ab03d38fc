package library.catalogue.web;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import library.catalogue.books.Branch;
import library.catalogue.books.Branches;
import library.catalogue.writers.RegisterClient;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class CatalogueController {

    private final RegisterClient register;
    private final Branches branches;

    CatalogueController(RegisterClient register, Branches branches) {
        this.register = register;
        this.branches = branches;
    }

    @GetMapping("/catalogue/{name:[a-z]+-\\d{1,9}}")
    CompletableFuture<ResponseEntity<Entry>> entry(@PathVariable String name) {
        return register.find(name).thenApply(found -> answer(found.map(writer -> Entry.of(writer, branches))));
    }

    @GetMapping("/branches/{id}")
    ResponseEntity<Branch> branch(@PathVariable int id) {
        return answer(branches.find(id));
    }

    private static <T> ResponseEntity<T> answer(Optional<T> found) {
        return ResponseEntity.of(found);
    }
}
