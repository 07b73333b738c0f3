// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/WeightsOptions.h"

#include "core/base/Translation.h"
#include "core/workbench/loading/WeightsPlace.h"

namespace headlight::cli {
namespace {

void place(CLI::Option* option, const char* type, const std::string& group) {
  option->type_name(type);
  if (!group.empty()) option->group(group);
}

}  // namespace

void addTakeOption(CLI::App& command, std::string& take, const std::string& group) {
  place(command.add_option(
            "--take", take,
            tr("Which model of a file of weights that holds several, by a name that headlight-cli "
               "inspect lists, such as student; FILE[NAME] says the same. Default: a moving "
               "average or teacher, else the first")),
        "NAME", group);
}

std::string takenFrom(const std::string& file, const std::string& take) {
  if (take.empty()) return file;
  return WeightsPlace{parseWeightsPlace(file).file, take}.path().string();
}

void addHeadsOption(CLI::App& command, int& heads, const std::string& group) {
  constexpr int kMostHeads = 4096;
  auto* option = command.add_option(
      "--heads", heads,
      tr("Attention heads of a ViT whose file of weights does not state them and has no "
         "config.json beside it; default: as published models of its size have, else 64 wide "
         "each, else 3"));
  option->check(CLI::Range(1, kMostHeads).description(""));
  place(option, "INT", group);
}

void addTransparencyOption(CLI::App& command, std::string& transparency, const std::string& group) {
  auto* option = command.add_option(
      "--transparency", transparency,
      tr("Transparent pixels of an image: white (put on white), or drop (their alpha channel is "
         "dropped, as timm and torchvision do); default: as the model says, which is white"));
  option->check(CLI::IsMember({"white", "drop"}).description(""));
  place(option, "TEXT", group);
}

}  // namespace headlight::cli
