// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ClassMatching.h"

namespace headlight {

const ParameterTable& classMatchParameters() {
  using M = ClassMatching;
  static const ParameterTable table =
      TableBuilder<M>()
          .choice(&M::match, "match", {"auto", "name", "index"},
                  "How to match the data's classes with the model's: by name, or by index. auto "
                  "matches by name, and by index only if the model has no names and as many "
                  "classes as the data.")
          .text(&M::classMap, "class_map",
                "File that maps data classes to model classes, by name or index: a JSON object, or "
                "two columns of CSV or TSV. Classes that it omits are matched as set by match.")
          .build();
  return table;
}

}  // namespace headlight
