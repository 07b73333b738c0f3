// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A figure page worked out and drawn away from the window's thread: looking, drawing and writing.
// Plain functions for ProgressTask; nothing here touches a widget.

#include <QByteArray>
#include <QString>

#include <functional>
#include <memory>
#include <stop_token>

#include "core/workbench/figures/PageDrawing.h"

namespace headlight {

/// Taken out of the document in its thread.
struct PageJob {
  FigurePage page;
  std::function<std::shared_ptr<InferenceSession>()> session;  ///< ModelWorker::session()
  MaskScheme masks;
  std::shared_ptr<const PageContent> before;  ///< of the same model and masks; may be null
  std::string openPath;                       ///< the picture that is open needs no reading
  Image openImage;
};

/// A page that can be looked at. With an error there is no image.
struct ShownPage {
  std::shared_ptr<const PageContent> look;
  Image image;
  Error error;
  bool ok() const { return !image.empty(); }
};

/// `dpi` pixels an inch.
ShownPage showPage(const PageJob& job, int dpi, const ProgressCallback& progress,
                   std::stop_token stop);
/// A PNG carries `session`, as other figures do.
Result<void> exportPage(const PageJob& job, const QString& path, const QByteArray& session,
                        const ProgressCallback& progress, std::stop_token stop);

}  // namespace headlight
