// vocabulary.cpp — the words; none of these companies exists.
#include "ingestion/samples/vocabulary.hpp"

#include <chrono>

#include <fmt/format.h>

namespace belay::samples {
namespace {

using Names = std::array<std::string_view, 8>;

constexpr Names kSwedishSellers{"Nordfors Kontor AB",  "Bergslagens El AB",  "Havsviks Måleri AB",
                                "Lindåsa Trävaror AB", "Kvarnby Data AB",    "Solgläntans Städ AB",
                                "Västkullen Bygg AB",  "Åsbacka Tryckeri AB"};
constexpr Names kSwedishBuyers{"Granliden Konsult AB",      "Stensjö Förlag AB",
                               "Fjällnära Resor AB",        "Ekhaga Design AB",
                               "Bruksgatan Fastigheter AB", "Sjömarken Event AB",
                               "Tallmons Revision AB",      "Öbergska Skolan AB"};
constexpr Names kEnglishSellers{"Harrow Lane Supplies Ltd",   "Copperfield Print Works Ltd",
                                "Ashdown Hosting Ltd",        "Millbrook Tools Inc.",
                                "Westgate Catering Ltd",      "Fernhill Logistics LLC",
                                "Quarry Street Software Ltd", "Northmoor Timber Ltd"};
constexpr Names kEnglishBuyers{
    "Bluestone Partners LLP", "Heron Studio Ltd",      "Larkfield School",   "Pinewood Events Ltd",
    "Oakridge Clinic Ltd",    "Riverside Housing Ltd", "Sutton & Marsh LLP", "Greenway Labs Inc."};
constexpr Names kGermanSellers{"Bürotechnik Hallmann GmbH",  "Elektro Vossberg GmbH",
                               "Druckhaus Lerchental GmbH",  "Holzwerk Tannried GmbH",
                               "Datenwerk Oberau AG",        "Malerbetrieb Kühn GmbH",
                               "Spedition Wiesengrund GmbH", "Feinkost Ahornhof GmbH"};
constexpr Names kGermanBuyers{"Kanzlei Birkner & Partner", "Verlag Steinfurt GmbH",
                              "Reisebüro Fernblick GmbH",  "Praxis Dr. Lohmann",
                              "Hausverwaltung Roth GmbH",  "Atelier Sommer GmbH",
                              "Schule am Mühlbach e.V.",   "Labor Grünfeld GmbH"};
constexpr Names kSwedishWares{"Kontorsstol Modell 7",  "Kopieringspapper A4",
                              "Konsulttid, utredning", "Målarfärg vit 10 l",
                              "LED-lampa E27",         "Städning av lokaler",
                              "Nätverkskabel 5 m",     "Skrivbord höj- och sänkbart"};
constexpr Names kEnglishWares{"Office chair, black", "Copy paper A4, box", "Consulting, on site",
                              "White paint 10 l",    "LED lamp E27",       "Cleaning of premises",
                              "Network cable 5 m",   "Standing desk"};
constexpr Names kGermanWares{
    "Bürostuhl schwarz", "Kopierpapier A4",     "Beratung vor Ort",  "Wandfarbe weiß 10 l",
    "LED-Lampe E27",     "Reinigung der Räume", "Netzwerkkabel 5 m", "Schreibtisch verstellbar"};
constexpr Names kSwedishShops{"MATBODEN CENTRAL", "TAXI NORDLINJEN AB", "HOTELL STRANDEN",
                              "BENSINMACKEN E4",  "JÄRNHANDELN",        "PARKERINGEN CITY",
                              "BOKLÅDAN",         "RESTAURANG KVARNEN"};
constexpr Names kSwedishCities{"STOCKHOLM", "GÖTEBORG", "MALMÖ", "UPPSALA",
                               "LULEÅ",     "ÖREBRO",   "LUND",  "VÄSTERÅS"};
constexpr Names kEnglishShops{"CORNER GROCERY 0412", "CITY CABS",   "HARBOUR HOTEL",
                              "FUEL STOP 77",        "PAPER & PEN", "CENTRAL PARKING",
                              "BOOK NOOK",           "THE OLD MILL"};
constexpr Names kEnglishCities{"TORONTO", "LONDON", "CHICAGO", "OTTAWA",
                               "LEEDS",   "BOSTON", "BRISTOL", "SEATTLE"};

std::string grouped(std::int64_t cents, std::string_view group, std::string_view point) {
    const auto whole = std::to_string((cents < 0 ? -cents : cents) / 100);
    std::string out;
    for (std::size_t i = 0; i < whole.size(); ++i) {
        if (i > 0 && (whole.size() - i) % 3 == 0) out += group;
        out += whole[i];
    }
    return fmt::format("{}{}{:02}", out, point, (cents < 0 ? -cents : cents) % 100);
}

std::chrono::year_month_day calendar(const Day& d) {
    return {std::chrono::year{d.year}, std::chrono::month{static_cast<unsigned>(d.month)},
            std::chrono::day{static_cast<unsigned>(d.day)}};
}

}  // namespace

std::string with_luhn_digit(const std::string& digits) {
    int sum = 0;
    bool twice = true;
    for (auto at = digits.rbegin(); at != digits.rend(); ++at, twice = !twice) {
        const int d = (*at - '0') * (twice ? 2 : 1);
        sum += d > 9 ? d - 9 : d;
    }
    return digits + static_cast<char>('0' + (10 - sum % 10) % 10);
}

std::string Day::iso() const { return fmt::format("{:04}-{:02}-{:02}", year, month, day); }
std::string Day::yymmdd() const { return fmt::format("{:02}{:02}{:02}", year % 100, month, day); }
Day Day::plus(int days) const {
    const std::chrono::year_month_day later{std::chrono::sys_days{calendar(*this)} +
                                            std::chrono::days{days}};
    return {static_cast<int>(later.year()), static_cast<int>(static_cast<unsigned>(later.month())),
            static_cast<int>(static_cast<unsigned>(later.day()))};
}

std::string printed_day(const Day& d, Language language, int style) {
    static constexpr std::array<std::string_view, 12> kMonths{
        "January", "February", "March",     "April",   "May",      "June",
        "July",    "August",   "September", "October", "November", "December"};
    const auto month = kMonths.at(static_cast<std::size_t>(d.month - 1));
    switch (language) {
        case Language::Swedish:
            return d.iso();
        case Language::German:
            return fmt::format("{:02}.{:02}.{:04}", d.day, d.month, d.year);
        case Language::English:
            break;
    }
    if (style == 1) return fmt::format("{} {}, {}", month, d.day, d.year);
    return fmt::format("{} {} {}", d.day, month, d.year);
}

std::string printed_money(std::int64_t cents, Language language) {
    const std::string sign = cents < 0 ? "-" : "";
    switch (language) {
        case Language::Swedish:
            return sign + grouped(cents, " ", ",");
        case Language::English:
            return sign + grouped(cents, ",", ".");
        case Language::German:
            break;
    }
    return sign + grouped(cents, ".", ",");
}

std::string first_card_money(std::int64_t cents) {
    return grouped(cents, ".", ",") + (cents < 0 ? "-" : "");
}

std::string plain_money(std::int64_t cents) {
    return (cents < 0 ? "-" : "") + grouped(cents, "", ".");
}

Company any_company(Chance& chance, Language language, bool seller) {
    Company company;
    const auto number = std::to_string(chance.between(1, 89));
    const auto digits = with_luhn_digit("556" + chance.digits(6));
    switch (language) {
        case Language::Swedish:
            company = {chance.pick(seller ? kSwedishSellers : kSwedishBuyers),
                       "Storgatan " + number,
                       fmt::format("{} {} Norrvik", chance.digits(3), chance.digits(2)),
                       digits.substr(0, 6) + "-" + digits.substr(6),
                       "SE" + digits + "01",
                       "www.exempel.se"};
            break;
        case Language::English:
            company = {chance.pick(seller ? kEnglishSellers : kEnglishBuyers),
                       number + " Station Road",
                       "Ashford TN24 8QR",
                       "",
                       "GB" + chance.digits(9),
                       "www.example.com"};
            break;
        case Language::German:
            company = {chance.pick(seller ? kGermanSellers : kGermanBuyers),
                       "Lindenstraße " + number,
                       chance.digits(5) + " Neustadt",
                       "",
                       "DE" + chance.digits(9),
                       "www.beispiel.de"};
            break;
    }
    return company;
}

std::string any_ware(Chance& chance, Language language) {
    switch (language) {
        case Language::Swedish:
            return chance.pick(kSwedishWares);
        case Language::English:
            return chance.pick(kEnglishWares);
        case Language::German:
            break;
    }
    return chance.pick(kGermanWares);
}

Shop any_shop(Chance& chance, Language language) {
    if (language == Language::Swedish) {
        if (chance.one_in(5)) return {"HARBOUR HOTEL", "LONDON", "GBP"};
        if (chance.one_in(6)) return {"CAFE AM MARKT", "BERLIN", "EUR"};
        return {chance.pick(kSwedishShops), chance.pick(kSwedishCities), ""};
    }
    if (chance.one_in(6)) return {"CAFE AM MARKT", "BERLIN", "EUR"};
    return {chance.pick(kEnglishShops), chance.pick(kEnglishCities), ""};
}

}  // namespace belay::samples
