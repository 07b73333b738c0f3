// SPDX-License-Identifier: GPL-3.0-or-later
#include "core/config/ClassMatching.h"

namespace headlight {

const ParameterTable& classMatchParameters() {
  using M = ClassMatching;
  static const ParameterTable table =
      TableBuilder<M>()
          .choice(&M::match, "match", {"auto", "name", "index"},
                  "How the data's classes are matched with the model's: name by their names, index "
                  "by their numbers, on purpose; auto by names, and by number only where the model "
                  "has none and as many classes as the data.")
          .text(&M::classMap, "class_map",
                "File that gives data classes their class of the model, by name or index: a JSON "
                "object, or two columns of CSV or TSV; classes that it leaves out are matched as "
                "match says.")
          .build();
  return table;
}

}  // namespace headlight
