// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The state of the window, as a value: saved when it closes, restored when it opens, carried by
// exported images.

#include <QByteArray>
#include <QMap>
#include <QString>
#include <QStringList>

#include <optional>

#include "core/base/Result.h"
#include "core/config/Experiment.h"
#include "ui/document/Document.h"
#include "ui/document/DocumentReference.h"
#include "ui/document/WindowLayout.h"

namespace headlight {

/// The last state of a workspace.
struct Arrangement {
  std::optional<WindowLayout> docks;  ///< nothing: as at the first start
  QString page;                       ///< of ImageTabs
  bool operator==(const Arrangement&) const = default;
};
/// By the name of the workspace: "look", "mask", "train", "compare".
using Arrangements = QMap<QString, Arrangement>;

struct Session {
  static constexpr int kSchema = 1;

  Experiment experiment;  ///< the model, the masks as edited, and what the training dialog says
  QString weights;        ///< a file; empty: random weights from the experiment's seed
  Prompts prompts;        ///< that are the model's classes; empty: none
  bool partial = false;   ///< they fit in part, and were opened all the same: not asked again
  QString imagePath, imageName;
  ViewOptions view;

  // The window's own; in an image's session only the workspace and its page.
  QStringList gallery;    ///< files and folders, in order
  Comparison comparison;  ///< the comparison side by side
  QString theme;          ///< system, light or dark
  std::optional<WindowPlace> place;
  QString workspace;          ///< that is shown
  QString run;                ///< the folder of the last run
  QString figures;            ///< where figures and plots were saved last; empty: nowhere yet
  Arrangements arrangements;  ///< of every workspace as it was left
  /// Invalid parts of the window's arrangement, which are ignored; not written.
  QStringList damaged;
};

/// Model, image, masks and view of a document that has a model.
Session recordSession(const Document& document);

QByteArray sessionToText(const Session& session);
/// Errors name the JSON path. Unknown keys are ignored: an older program can open a newer session.
Result<Session> sessionFromText(const QByteArray& text, const QString& name);
/// Whether a JSON text is a session at all (a config is not).
bool isSessionText(const QByteArray& text);

/// The view section alone; keys that are missing keep the value in `view`.
Json viewToJson(const ViewOptions& view);
Result<ViewOptions> viewFromJson(const Json& json, const ViewOptions& view);

}  // namespace headlight
