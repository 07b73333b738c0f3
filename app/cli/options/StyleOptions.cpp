// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/options/StyleOptions.h"

#include "app/cli/terminal/Command.h"
#include "core/base/Text.h"
#include "core/base/Translation.h"

namespace headlight::cli {
namespace {

std::string styleHelp() {
  std::string help = tr("Map style: ");
  for (const MapStyleInfo& info : mapStyles())
    help += info.name + " (" + translated(info.help) + "), ";
  return help + tr("default: the first");
}

std::string colorMapHelp() {
  std::vector<std::string> names;
  for (const ColorMapInfo& map : colorMaps())
    names.push_back(map.name);
  return tr("Color map of overlays: ") + joined(names) +
         tr("; default viridis. Sets the style to overlay");
}

void addShare(CLI::App& app, const char* flag, double& target, const char* help,
              const char* group) {
  app.add_option(flag, target, help)
      ->type_name("NUM")
      ->check(CLI::Range(0.0, 1.0).description(""))
      ->group(group);
}

}  // namespace

void StyleOptions::declare(CLI::App& app, ImageStyle& target, const char* group) {
  app.add_option("--colormap", colorMap, colorMapHelp())->type_name("TEXT")->group(group);
  app.add_option("--style", style, styleHelp())->type_name("TEXT")->group(group);
  addShare(app, "--dim", target.dim,
           tr("Dimming of dark areas in the headlight style; default 0.85"), group);
  app.add_flag("--smooth,!--blocks", target.smooth,
               tr("Interpolate between patches (default), or draw each patch as a block"))
      ->group(group);
  addShare(app, "--opacity", target.opacity, tr("Opacity of overlays; default 0.6"), group);
}

void StyleOptions::apply(ImageStyle& target) const {
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
