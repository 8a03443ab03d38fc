require("../restore.js");
