package library.catalogue;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** The catalogue of a library: what a writer wrote, and on which shelf of which branch it stands. */
@SpringBootApplication
public class CatalogueService {

    public static void main(String[] args) {
        SpringApplication.run(CatalogueService.class, args);
    }
}
