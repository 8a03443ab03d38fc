require("./kept.js").save();
