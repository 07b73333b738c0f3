// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Light and dark, switched while the program runs.

#include <QDBusVariant>
#include <QObject>
#include <QPalette>
#include <QString>

#include <optional>

namespace headlight {

enum class ThemeChoice { System, Light, Dark };
QString themeName(ThemeChoice choice);  ///< "system", "light", "dark"
std::optional<ThemeChoice> themeFromName(const QString& name);

/// The light theme's colors: of what leaves for paper.
QPalette lightPalette();

/// One per program. Sets the application's style and palette.
class Theme : public QObject {
  Q_OBJECT
 public:
  explicit Theme(QObject* parent = nullptr);

  ThemeChoice choice() const { return m_choice; }
  void setChoice(ThemeChoice choice);
  bool isDark() const;

 Q_SIGNALS:
  void changed();

 private Q_SLOTS:
  void onPortalSetting(const QString& group, const QString& key, const QDBusVariant& value);

 private:
  void askSystem();
  void apply();
  void paint();

  ThemeChoice m_choice = ThemeChoice::System;
  bool m_systemIsDark = false;
  std::optional<bool> m_applied;  ///< whether the colors on the screen are dark; nothing yet
};

}  // namespace headlight
