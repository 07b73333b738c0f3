// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A run's recording as a film or a strip: the tab's content at every recorded step.

#include <QString>

#include <stop_token>

#include "core/base/Progress.h"
#include "core/base/Result.h"
#include "ui/figures/FigureExport.h"

namespace headlight {

enum class FilmKind {
  Film,   ///< GIF, AVI, MP4 or a folder of PNG by its name (FilmFile)
  Strip,  ///< one figure (PNG, SVG or PDF by its name), one image per step on one scale
};

struct FilmRequest {
  FilmKind kind = FilmKind::Film;
  QString run;                             ///< the run's folder
  QString path;                            ///< the file, or the folder of images
  FigureKind figure = FigureKind::Canvas;  ///< film: canvas, heads or rollout
  ModelInfo model;
  ViewOptions view;
  int image = 0;         ///< index among the recorded images
  double seconds = 0.2;  ///< film: duration of each step
  int steps = 8;         ///< strip: evenly from the first to the last
  /// Strip: one row for each of these heads of the view's layer, -1: their mean; empty: the
  /// view's head.
  std::vector<int> heads;
  int widthPixels = 800, dpi = 96;
};

/// Parses "0, 2", "mean, 3" or "all" (without the mean) for a strip of a layer with `heads` heads;
/// empty: the head shown. Errors: InvalidArgument, naming the unknown head.
Result<std::vector<int>> filmHeads(const QString& text, int heads);

/// Blocks. Returns the number of steps drawn; progress counts steps. Errors: those of reading and
/// writing, Canceled; then no file or folder is left.
Result<int> writeFilm(const FilmRequest& request, const ProgressCallback& progress,
                      const std::stop_token& stop);

}  // namespace headlight
