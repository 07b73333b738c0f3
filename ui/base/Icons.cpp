// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Icons.h"

#include <QApplication>
#include <QFile>
#include <QIconEngine>
#include <QPainter>
#include <QPalette>
#include <QPixmapCache>
#include <QSvgRenderer>

namespace headlight {
namespace {

class LineIconEngine : public QIconEngine {
 public:
  LineIconEngine(QString name, QByteArray svg) : m_name(std::move(name)), m_svg(std::move(svg)) {}

  void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State) override {
    QByteArray colored = m_svg;
    colored.replace("currentColor", colorOf(mode).name().toLatin1());
    QSvgRenderer(colored).render(painter, rect);
  }

  QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
    const QString key = QStringLiteral("headlight/%1/%2/%3x%4")
                            .arg(m_name, colorOf(mode).name())
                            .arg(size.width())
                            .arg(size.height());
    QPixmap pixmap;
    if (QPixmapCache::find(key, &pixmap)) return pixmap;
    pixmap = QPixmap(size);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    paint(&painter, pixmap.rect(), mode, state);
    painter.end();
    QPixmapCache::insert(key, pixmap);
    return pixmap;
  }

  QIconEngine* clone() const override { return new LineIconEngine(*this); }
  QString key() const override { return QStringLiteral("headlight-line"); }
  bool isNull() override { return m_svg.isEmpty(); }

 private:
  static QColor colorOf(QIcon::Mode mode) {
    const QPalette palette = QApplication::palette();
    if (mode == QIcon::Disabled) return palette.color(QPalette::Disabled, QPalette::ButtonText);
    if (mode == QIcon::Selected) return palette.color(QPalette::HighlightedText);
    return palette.color(QPalette::Active, QPalette::ButtonText);
  }

  QString m_name;
  QByteArray m_svg;
};

}  // namespace

QIcon lineIcon(const QString& name) {
  QFile file(QStringLiteral(":/icons/%1.svg").arg(name));
  if (!file.open(QIODevice::ReadOnly)) return {};
  return QIcon(new LineIconEngine(name, file.readAll()));
}

QIcon applicationIcon() {
  return QIcon(QStringLiteral(":/icons/headlight.svg"));
}

}  // namespace headlight
