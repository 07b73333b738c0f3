// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mean attention by relative position: one tile per head, one row per layer. The offset under the
// pointer, or reached with arrow keys, is marked and reported.

#include <QImage>
#include <QWidget>

#include <memory>
#include <optional>
#include <vector>

#include "core/workbench/figures/RelativeFigure.h"

namespace headlight {

class RelativeView : public QWidget {
  Q_OBJECT
 public:
  using Maps = std::shared_ptr<const RelativeMaps>;

  /// An offset of a head.
  struct Place {
    int layer = 0, head = 0;
    int row = 0, col = 0;  ///< from −(g − 1)
    bool operator==(const Place&) const = default;
  };

  explicit RelativeView(QWidget* parent = nullptr);

  void setMaps(const Maps& maps, const RelativeStyle& style);  ///< null: none
  const std::optional<Place>& place() const { return m_place; }
  void setPlace(const std::optional<Place>& place);
  /// "layer 3, head 1, offset (−2, 5): 0.0123"; empty where nothing is marked.
  QString placeText() const;
  QRect tileRect(int layer, int head) const;
  std::optional<Place> placeAt(const QPoint& position) const;

  QSize sizeHint() const override;
  QSize minimumSizeHint() const override { return sizeHint(); }

 Q_SIGNALS:
  void placeChanged(const QString& text);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  const RelativeLayer& layerAt(int layer) const;
  QRectF cellRect(const Place& place) const;
  void paintTile(QPainter& painter, int layer, int head);

  Maps m_maps;
  RelativeStyle m_style;
  std::vector<std::vector<QImage>> m_tiles;  ///< [layer][head]; empty until painted
  std::optional<Place> m_place;
};

}  // namespace headlight
