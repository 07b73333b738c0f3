// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/reports/StudyText.h"

namespace headlight::cli {
namespace {

Json meanJson(const MeanOfMany& of) {
  return {{"mean", of.mean}, {"deviation", numberOrNull(of.deviation)}};
}

}  // namespace

Json studyJson(const std::vector<StudiedMethod>& methods) {
  Json list = Json::array();
  for (const StudiedMethod& method : methods)
    list.push_back({{"method", method.title},
                    {"pictures", method.images},
                    {"deletion", meanJson(method.deletion)},
                    {"insertion", meanJson(method.insertion)}});
  return list;
}

void printStudy(const std::vector<StudiedMethod>& methods, Terminal& terminal) {
  for (const StudiedMethod& method : methods)
    terminal.print("  deletion " + meanText(method.deletion) + "  insertion " +
                   meanText(method.insertion) + "  " + method.title);
}

}  // namespace headlight::cli
