require("../save.js");
