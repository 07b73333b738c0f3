// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/base/Theme.h"

#include <QApplication>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QPalette>
#include <QToolTip>

#include "ui/base/FieldStyle.h"

namespace headlight {
namespace {

// The desktop's portal says whether people want dark; Qt does so only from 6.5 on.
constexpr const char* kPortal = "org.freedesktop.portal.Desktop";
constexpr const char* kPortalPath = "/org/freedesktop/portal/desktop";
constexpr const char* kSettings = "org.freedesktop.portal.Settings";
constexpr const char* kAppearance = "org.freedesktop.appearance";
constexpr const char* kColorScheme = "color-scheme";

struct Colors {
  QColor window, base, alternate, text, dim, button, border, link, highlight, highlightText;
};

// Grays with one blue: nothing is distinguished by hue alone. Text on every ground has a contrast
// of at least 7 to 1, dimmed text of at least 4.5.
const Colors kLight{QColor(0xf3f4f6), QColor(0xffffff), QColor(0xf0f2f5), QColor(0x1c2027),
                    QColor(0x5b6370), QColor(0xf9fafb), QColor(0xc6cbd3), QColor(0x0b5cad),
                    QColor(0x1664b8), QColor(0xffffff)};
const Colors kDark{QColor(0x1f2227), QColor(0x17191d), QColor(0x1d2025), QColor(0xe6e9ee),
                   QColor(0x9aa3b0), QColor(0x2b2f36), QColor(0x454b55), QColor(0x7db7ff),
                   QColor(0x2f74c9), QColor(0xffffff)};

QPalette makePalette(const Colors& colors, bool dark) {
  QPalette palette;
  palette.setColor(QPalette::Window, colors.window);
  palette.setColor(QPalette::WindowText, colors.text);
  palette.setColor(QPalette::Base, colors.base);
  palette.setColor(QPalette::AlternateBase, colors.alternate);
  palette.setColor(QPalette::Text, colors.text);
  palette.setColor(QPalette::PlaceholderText, colors.dim);
  palette.setColor(QPalette::Button, colors.button);
  palette.setColor(QPalette::ButtonText, colors.text);
  palette.setColor(QPalette::BrightText, Qt::white);
  palette.setColor(QPalette::ToolTipBase, dark ? colors.button : colors.base);
  palette.setColor(QPalette::ToolTipText, colors.text);
  palette.setColor(QPalette::Link, colors.link);
  palette.setColor(QPalette::LinkVisited, colors.link);
  palette.setColor(QPalette::Highlight, colors.highlight);
  palette.setColor(QPalette::HighlightedText, colors.highlightText);
  palette.setColor(QPalette::Light, dark ? colors.button.lighter(120) : QColor(Qt::white));
  palette.setColor(QPalette::Midlight, dark ? colors.button.lighter(108) : QColor(0xe6e9ed));
  palette.setColor(QPalette::Mid, colors.border);
  palette.setColor(QPalette::Dark, dark ? QColor(0x101215) : QColor(0xa7adb7));
  palette.setColor(QPalette::Shadow, dark ? QColor(Qt::black) : QColor(0x6f7681));
  for (const auto role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText})
    palette.setColor(QPalette::Disabled, role, dark ? QColor(0x6d7581) : QColor(0x969da8));
  palette.setColor(QPalette::Disabled, QPalette::Highlight, colors.border);
  palette.setColor(QPalette::Disabled, QPalette::HighlightedText, colors.dim);
  return palette;
}

}  // namespace

QPalette lightPalette() {
  return makePalette(kLight, false);
}

QString themeName(ThemeChoice choice) {
  switch (choice) {
    case ThemeChoice::Light:
      return QStringLiteral("light");
    case ThemeChoice::Dark:
      return QStringLiteral("dark");
    case ThemeChoice::System:
      break;
  }
  return QStringLiteral("system");
}

std::optional<ThemeChoice> themeFromName(const QString& name) {
  for (const auto choice : {ThemeChoice::System, ThemeChoice::Light, ThemeChoice::Dark})
    if (themeName(choice) == name) return choice;
  return std::nullopt;
}

Theme::Theme(QObject* parent) : QObject(parent) {
  m_systemIsDark = QApplication::palette().color(QPalette::Window).lightness() < 128;
  QApplication::setStyle(new FieldStyle);
  askSystem();
  apply();
}

void Theme::askSystem() {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(kPortal, kPortalPath, kSettings, QStringLiteral("SettingChanged"), this,
              SLOT(onPortalSetting(QString, QString, QDBusVariant)));
  auto call =
      QDBusMessage::createMethodCall(kPortal, kPortalPath, kSettings, QStringLiteral("Read"));
  call << QString(kAppearance) << QString(kColorScheme);
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* w) {
    const QDBusPendingReply<QDBusVariant> reply = *w;
    if (reply.isValid()) onPortalSetting(kAppearance, kColorScheme, reply.value());
    w->deleteLater();
  });
}

void Theme::onPortalSetting(const QString& group, const QString& key, const QDBusVariant& value) {
  if (group != kAppearance || key != kColorScheme) return;
  QVariant plain = value.variant();
  if (plain.canConvert<QDBusVariant>()) plain = plain.value<QDBusVariant>().variant();
  const bool dark = plain.toUInt() == 1;  // 1: prefers dark, 2: prefers light, 0: no preference
  if (dark == m_systemIsDark) return;
  m_systemIsDark = dark;
  if (m_choice == ThemeChoice::System) apply();
}

bool Theme::isDark() const {
  return m_choice == ThemeChoice::Dark || (m_choice == ThemeChoice::System && m_systemIsDark);
}

void Theme::setChoice(ThemeChoice choice) {
  if (choice == m_choice) return;
  m_choice = choice;
  apply();
}

/// Qt tells every widget of a palette: not of the colors that are there.
void Theme::apply() {
  if (m_applied != isDark()) paint();
  m_applied = isDark();
  Q_EMIT changed();
}

void Theme::paint() {
  const Colors& colors = isDark() ? kDark : kLight;
  const QPalette palette = makePalette(colors, isDark());
  QApplication::setPalette(palette);
  QToolTip::setPalette(palette);
}

}  // namespace headlight
