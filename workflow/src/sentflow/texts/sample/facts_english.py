"""Facts for sample sentence pairs in English."""

from sentflow.texts.sample.facts import Source

NEWS = Source(
    name="news",
    themes=(
        (
            (
                "the central bank raised interest rates by half a point",
                "borrowing became half a point dearer after a decision of the monetary authority",
                "the key rate was lifted by fifty basis points",
            ),
            (
                "shares of airlines fell after fuel became more expensive",
                "airline stocks dropped as the price of kerosene climbed",
                "costlier fuel pulled down the value of carriers on the exchange",
            ),
            (
                "the car maker will close its oldest factory",
                "the oldest plant of the automobile company is to be shut",
                "production at the first works of the vehicle manufacturer comes to an end",
            ),
        ),
        (
            (
                "heavy rain flooded dozens of streets",
                "many roads were under water after a downpour",
                "lanes turned into rivers during the storm",
            ),
            (
                "an earthquake damaged hundreds of houses",
                "hundreds of homes were hit by a strong tremor",
                "the quake left many residents without a roof",
            ),
            (
                "firefighters brought a forest fire under control",
                "a blaze in the woods was contained by emergency crews",
                "the flames that threatened the pine trees have been tamed",
            ),
        ),
        (
            (
                "the parliament approved the new tax law",
                "lawmakers passed a reform of taxation",
                "a majority of deputies voted for the bill on duties and levies",
            ),
            (
                "the mayor resigned after accusations of bribery",
                "the head of the city stepped down because he was said to have taken money",
                "a corruption scandal forced the town's leader out of office",
            ),
            (
                "thousands of teachers demonstrated for higher pay",
                "educators took to the streets by the thousand to ask for better wages",
                "a large protest called for an increase of salaries in schools",
            ),
        ),
    ),
    places=(
        "in Lisbon",
        "in Toronto",
        "in Nairobi",
        "in the capital",
        "in the north of the country",
        "near the border",
    ),
    times=(
        "on Monday",
        "on Thursday",
        "last weekend",
        "early this morning",
        "after a long debate",
        "for the second time",
    ),
)

IMAGES = Source(
    name="images",
    themes=(
        (
            (
                "a brown dog is chasing a ball",
                "a ball is being pursued by a brown dog",
                "a hound with dark fur runs after its round toy",
            ),
            (
                "two cats are sleeping on a blanket",
                "a pair of kittens naps on a rug",
                "stretched out on some cloth, two felines doze",
            ),
            (
                "a horse is jumping over a fence",
                "a fence is being cleared by a leaping horse",
                "a pony hops across the barrier",
            ),
        ),
        (
            (
                "a man is playing the guitar",
                "a guitarist is performing a song",
                "somebody strums a stringed instrument",
            ),
            (
                "a woman is slicing onions",
                "onions are being cut by a lady",
                "a female cook chops vegetables into pieces",
            ),
            (
                "children are building a castle of sand",
                "a sandcastle is being made by some kids",
                "little boys and girls shape towers out of wet earth",
            ),
        ),
        (
            (
                "a cyclist is riding up a hill",
                "a person on a bike climbs a slope",
                "somebody pedals towards the top",
            ),
            (
                "a red bus is waiting at a stop",
                "a crimson coach stands where passengers get on",
                "people are about to board a red vehicle of public transport",
            ),
            (
                "a small boat is crossing the water",
                "a little vessel sails from one shore to the other",
                "somebody rows a dinghy to the far bank",
            ),
        ),
    ),
    places=(
        "near a lake",
        "in front of a house",
        "beside the road",
        "in a garden",
        "behind a wooden hut",
        "under tall trees",
    ),
    times=(
        "in bright sunshine",
        "in the rain",
        "at dusk",
        "on a winter day",
        "while others look on",
        "before a crowd",
    ),
)

FORUMS = Source(
    name="forums",
    themes=(
        (
            (
                "my computer shuts down without warning",
                "the PC turns itself off all of a sudden",
                "the machine loses power and gives no message",
            ),
            (
                "I cannot connect the printer to the network",
                "the printer refuses to join our wireless connection",
                "linking the device that prints with the router fails",
            ),
            (
                "the screen flickers when I open a film",
                "as soon as a movie starts, the display blinks",
                "watching videos makes the monitor tremble",
            ),
        ),
        (
            (
                "my bread does not rise in the oven",
                "the dough stays flat while baking",
                "loaves come out as dense as bricks",
            ),
            (
                "the soup turns out too salty",
                "there is far too much salt in the broth",
                "I always overseason what simmers in the pot",
            ),
            (
                "the rice sticks to the bottom of the pan",
                "grains cling to the pot and burn",
                "I end up scraping scorched rice from the saucepan",
            ),
        ),
        (
            (
                "the leaves of my tomato plants turn yellow",
                "my tomatoes have foliage that loses its green",
                "yellowing spreads over the bushes that should bear red fruit",
            ),
            (
                "snails eat the young lettuce",
                "slugs devour my salad seedlings",
                "small molluscs leave nothing of the greens that I plant",
            ),
            (
                "the roses have stopped flowering",
                "there are no more blossoms on my rose bushes",
                "not one bud opens on the thorny shrubs",
            ),
        ),
    ),
    places=(
        "at my parents' house",
        "in our holiday flat",
        "at my friend's place",
        "in the new apartment",
        "where I live now",
        "at the club",
    ),
    times=(
        "since last week",
        "every weekend",
        "for the third time",
        "since the summer",
        "no matter what I try",
        "again",
    ),
)
