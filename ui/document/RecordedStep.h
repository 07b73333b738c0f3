// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// One step of a training run as its folder recorded it, shown in place of what is live: numbers of
// heads, and an image with its maps and masks. Without one, what is shown is the document's own.

#include <QObject>
#include <QString>

#include <memory>
#include <optional>

#include "core/masks/MaskEdit.h"
#include "core/workbench/session/Images.h"

namespace headlight {

class Document;
struct HeadPoint;
struct RecordedView;

class RecordedStep : public QObject {
  Q_OBJECT
 public:
  explicit RecordedStep(Document& document) : m_document(document) {}

  /// In place of the newest result's ALS and the masks' α; null: live. Of a run whose layers and
  /// heads are not the model's: left out.
  const std::shared_ptr<const HeadPoint>& point() const { return m_point; }
  void setPoint(std::shared_ptr<const HeadPoint> point);
  /// And the image recorded then, in place of the newest result; null: live. The token that looks
  /// is one whose rows were kept; live, it is again the one from before.
  const std::shared_ptr<const RecordedView>& view() const { return m_view; }
  void setView(std::shared_ptr<const RecordedView> view);

  /// α as recorded of a head that was soft then.
  std::optional<float> alpha(int layer, int head) const;
  /// The token with a map that is `token` or nearest to it; `token` itself while all is live.
  int nearestToken(int token) const;

  // The image, its name and the masks that are shown: those recorded, else the document's.
  const Image& shownImage() const;
  const QString& shownImageName() const;
  const MaskScheme& shownMasks() const;

 Q_SIGNALS:
  void changed();            ///< another point
  void shownImageChanged();  ///< shownImage() is another

 private:
  friend class Document;  // a new model: no step is shown
  int keptToken(int token) const;

  Document& m_document;
  std::shared_ptr<const HeadPoint> m_point;
  std::shared_ptr<const RecordedView> m_view;
  int m_liveToken = 0;  ///< that looked before a recorded view was shown
};

}  // namespace headlight
