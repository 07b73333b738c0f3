// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Small images side by side, each with a word below, as large as the room allows. Their pixels
// stay sharp: they are few, and each of them is what the model said.

#include <QImage>
#include <QList>
#include <QString>
#include <QWidget>

namespace headlight {

class ImageTiles : public QWidget {
  Q_OBJECT
 public:
  struct Tile {
    QImage image;
    QString caption;
  };
  explicit ImageTiles(QWidget* parent = nullptr);

  /// All of one size. With none, `hint` is shown instead.
  void setTiles(const QList<Tile>& tiles);
  void setHint(const QString& hint);
  const QList<Tile>& tiles() const { return m_tiles; }

  QSize sizeHint() const override { return {560, 420}; }
  QSize minimumSizeHint() const override { return {200, 160}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  struct Arrangement {
    int columns = 1;
    double side = 0;  ///< of the longer side of an image
  };
  Arrangement arrange() const;
  double captionHeight() const;
  void drawCaption(QPainter& painter, const QRectF& area, const QString& caption) const;
  void describe();

  QList<Tile> m_tiles;
  QString m_hint;
};

}  // namespace headlight
