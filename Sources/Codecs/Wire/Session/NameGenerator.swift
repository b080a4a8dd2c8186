/// A generator of names for participants who have no name: a mood or a color, and an animal.
package enum NameGenerator {
  /// Returns a name such as "Violet Heron". Equal numbers give equal names.
  package static func name(random: UInt64) -> String {
    let (rest, first) = random.quotientAndRemainder(dividingBy: UInt64(adjectives.count))
    return "\(adjectives[Int(first)]) \(animals[Int(rest % UInt64(animals.count))])"
  }

  static let adjectives = [
    "Amber", "Azure", "Bold", "Brave", "Bright", "Bronze", "Calm", "Cheerful", "Clever", "Coral", "Cosy",
    "Crimson", "Curious", "Eager", "Emerald", "Gentle", "Golden", "Happy", "Honest", "Indigo", "Ivory",
    "Jade", "Jolly", "Kind", "Lilac", "Lively", "Lucky", "Merry", "Mellow", "Nimble", "Olive", "Patient",
    "Pearl", "Playful", "Plucky", "Quiet", "Rosy", "Ruby", "Scarlet", "Silver", "Sunny", "Swift", "Teal",
    "Tidy", "Velvet", "Violet", "Warm", "Witty",
  ]

  static let animals = [
    "Albatross", "Alpaca", "Antelope", "Badger", "Beaver", "Bison", "Bumblebee", "Butterfly", "Camel",
    "Capybara", "Chickadee", "Chipmunk", "Corgi", "Crane", "Cricket", "Deer", "Dolphin", "Dormouse", "Dove",
    "Dragonfly", "Duck", "Eagle", "Falcon", "Finch", "Firefly", "Flamingo", "Fox", "Gazelle", "Gecko",
    "Giraffe", "Goose", "Hamster", "Hare", "Hedgehog", "Heron", "Hummingbird", "Ibis", "Jay", "Kestrel",
    "Kingfisher", "Kitten", "Kiwi", "Koala", "Ladybird", "Lark", "Lemur", "Llama", "Lynx", "Magpie",
    "Manatee", "Marmot", "Meerkat", "Mole", "Moose", "Narwhal", "Newt", "Nightingale", "Octopus", "Okapi",
    "Osprey", "Otter", "Owl", "Panda", "Parrot", "Pelican", "Penguin", "Pony", "Puffin", "Quail", "Rabbit",
    "Raccoon", "Reindeer", "Robin", "Salmon", "Seahorse", "Seal", "Sparrow", "Squirrel", "Starling", "Stork",
    "Swallow", "Swan", "Tapir", "Tortoise", "Toucan", "Turtle", "Walrus", "Whale", "Wombat", "Wren", "Yak",
    "Zebra",
  ]
}
