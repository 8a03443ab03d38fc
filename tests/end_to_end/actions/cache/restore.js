require("./kept.js").restore();
