// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/StyleOptions.h"

#include "app/cli/terminal/Command.h"

namespace headlight::cli {
namespace {

std::string styleHelp() {
  std::string help = "How maps are drawn: ";
  for (const MapStyleInfo& info : mapStyles())
    help += info.name + " (" + info.help + "), ";
  return help + "by default the first";
}

void addShare(CLI::App& app, const char* flag, double& target, const char* help,
              const char* group) {
  app.add_option(flag, target, help)
      ->type_name("NUM")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->group(group);
}

}  // namespace

void StyleOptions::declare(CLI::App& app, PictureStyle& target, const char* group) {
  app.add_option("--colormap", colorMap,
                 "Of an overlay: viridis, cividis, inferno, turbo, jet, grey or diverging; default "
                 "viridis. Makes the style overlay")
      ->type_name("TEXT")
      ->group(group);
  app.add_option("--style", style, styleHelp())->type_name("TEXT")->group(group);
  addShare(app, "--dim", target.dim,
           "How much light and colour the dark of the headlight keeps back; default 0.85", group);
  app.add_flag("--smooth,!--blocks", target.smooth,
               "Interpolate between patches (default), or draw each as a block")
      ->group(group);
  addShare(app, "--opacity", target.opacity, "Of an overlay over the picture; default 0.6", group);
}

void StyleOptions::apply(PictureStyle& target) const {
  if (!colorMap.empty()) {
    const auto map = colorMapFromName(colorMap);
    if (!map) refuseUsage("--colormap", map.error().text());
    target.colorMap = *map;
    target.style = MapStyle::Overlay;
  }
  if (style.empty()) return;
  const auto named = mapStyleFromName(style);
  if (!named) refuseUsage("--style", named.error().text());
  target.style = *named;
}

}  // namespace headlight::cli
